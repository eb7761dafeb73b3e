/* LCR on a ring of N processes: process p has ID N-p, so that IDs fall clockwise, and sends to p+1. All have
   sent their IDs; a step is the receipt of one message. What the announcement would do is left out. */

#ifndef N
#define N 13
#endif

chan link[N] = [N] of { byte };
bit leads[N];
byte p, id;

inline receive(from, to) {
	link[from]?id;
	if
	:: id > N-to -> link[to]!id
	:: id == N-to -> leads[to] = 1; assert(to == 0)
	:: else
	fi;
	id = 0
}

active proctype ring() {
	d_step {
		do
		:: p < N -> link[p]!N-p; p++
		:: else -> break
		od;
		p = 0
	}
end:
	do
	:: d_step { nempty(link[0]) -> receive(0, 1 % N) }
#if N > 1
	:: d_step { nempty(link[1]) -> receive(1, 2 % N) }
#endif
#if N > 2
	:: d_step { nempty(link[2]) -> receive(2, 3 % N) }
#endif
#if N > 3
	:: d_step { nempty(link[3]) -> receive(3, 4 % N) }
#endif
#if N > 4
	:: d_step { nempty(link[4]) -> receive(4, 5 % N) }
#endif
#if N > 5
	:: d_step { nempty(link[5]) -> receive(5, 6 % N) }
#endif
#if N > 6
	:: d_step { nempty(link[6]) -> receive(6, 7 % N) }
#endif
#if N > 7
	:: d_step { nempty(link[7]) -> receive(7, 8 % N) }
#endif
#if N > 8
	:: d_step { nempty(link[8]) -> receive(8, 9 % N) }
#endif
#if N > 9
	:: d_step { nempty(link[9]) -> receive(9, 10 % N) }
#endif
#if N > 10
	:: d_step { nempty(link[10]) -> receive(10, 11 % N) }
#endif
#if N > 11
	:: d_step { nempty(link[11]) -> receive(11, 12 % N) }
#endif
#if N > 12
	:: d_step { nempty(link[12]) -> receive(12, 13 % N) }
#endif
	od
}
