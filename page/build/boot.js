// The files of the page lie in this document, compressed. Each becomes a blob.
(async () => {
  const text = document.getElementById("election-files").textContent;
  const packed = new Uint8Array(SIZE);
  // Two letters hold 13 bits, the lowest first. The letters are those from # to ~ but for <, 91 in number.
  const digit = (i) => text.charCodeAt(i) - (text.charCodeAt(i) > 60 ? 36 : 35);
  for (let i = 0, bits = 0, waiting = 0, to = 0; i < text.length; i += 2) {
    bits |= (digit(i) + digit(i + 1) * 91) << waiting;
    for (waiting += 13; waiting >= 8 && to < SIZE; waiting -= 8, bits >>= 8) packed[to++] = bits;
  }
  const files = {};
  let from = 0;
  for (const [name, type, size] of LIST) {
    const stream = new Blob([packed.subarray(from, from += size)]).stream();
    const file = await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    files[name] = URL.createObjectURL(new Blob([file], { type }));
  }
  globalThis.electionFiles = files;
  globalThis.electionOpen = Object.keys(files).find((name) => name.startsWith("open."));
  if (document.readyState === "loading") {
    await new Promise((parsed) => document.addEventListener("DOMContentLoaded", parsed));
  }
  await import(files["app.js"]);
})();
