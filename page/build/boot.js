// The files of the page lie in this document, compressed. Each becomes a blob, and each module a name of an
// import map, under which the others import it: a relative name means nothing to a module that is a blob.
(async () => {
  const text = document.getElementById("election-files").textContent;
  const packed = new DataView(new ArrayBuffer((text.length / 5) * 4));
  for (let i = 0; i < text.length; i += 5) {
    let value = 0; // of four bytes, in five digits to the base 85
    for (let k = i; k < i + 5; k++) {
      const digit = text.charCodeAt(k);
      value = value * 85 + (digit === 125 ? 60 : digit) - 40;
    }
    packed.setUint32((i / 5) * 4, value);
  }
  const stream = new Blob([new Uint8Array(packed.buffer, 0, SIZE)]).stream()
    .pipeThrough(new DecompressionStream("gzip"));
  const all = await new Response(stream).arrayBuffer();
  const files = {}, imports = {};
  let from = 0;
  for (const [name, type, size] of LIST) {
    files[name] = URL.createObjectURL(new Blob([new Uint8Array(all, from, size)], { type }));
    if (name.endsWith(".js")) imports["page/" + name] = files[name];
    from += size;
  }
  globalThis.electionFiles = files;
  globalThis.electionOpen = Object.keys(files).find((name) => name.startsWith("open."));
  const map = document.createElement("script");
  map.type = "importmap";
  map.textContent = JSON.stringify({ imports });
  document.head.append(map);
  if (document.readyState === "loading") {
    await new Promise((parsed) => document.addEventListener("DOMContentLoaded", parsed));
  }
  await import("page/app.js");
})();
