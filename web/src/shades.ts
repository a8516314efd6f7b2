// Colours of classes: the same on the page and in pictures, for the same classes. cmd/internal/plot has the same rule.

import { hex, type RGBA, type Theme } from "./color";

// M. Okabe and K. Ito, "Color universal design" (2008), without the yellow that is invisible on light pages, then colours that are far from each other. A
// test of cmd/internal/plot compares them with those of pictures.
const farOnLight = hex("0072b2 e69f00 009e73 d55e00 56b4e9 cc79a7 2b2b2b 000fb4 00d22d f05aff 87001e 5a6900 690069 4b78ff ff7878 b4c369 ff0087 002d87 96695a d20fa5 8700b4 004b1e 1e6978 961e5a 00c3c3 00d278 a578d2 ff003c b4783c 96b400 00961e ff96f0 1e3c69 96a578 693c00 ffa55a d2004b a51e00 784b78 8787b4 f0a5a5 00a5ff a58700 005aff 5a2d1e a569f0 1e782d 5a5a2d 4b3cc3 d25a78 694ba5 005a4b e1a578 b43cc3 c3b4e1 69d25a ff5ae1 00d2a5 ff4bb4 78961e b44b3c 5a0f87 69a596 005ab4 ff2d0f f0694b 5aa55a 96a5ff 963c4b 0096b4 a54ba5 e187ff 5a1e4b a50078 4b785a 874bf0 d2b43c 690f2d ff69a5 96964b a55a00 2d4b00 5a5a96 008778 6978d2 ff4b78 f0a5c3 d23c87 a55a78 ff7800 5ab41e c3a5f0 d20f0f 96784b c32de1 3c2d78 c378c3 96c3a5 784bc3 e100d2 87c3e1 ff3c5a 87690f c38796 871e96 874b2d 4b0096 69c387 c30f2d c3005a 69d200 d28778 0087f0 d2872d a54b87 5a2d3c 00c3e1 69874b 5a872d 4b78a5 d2a55a ff783c 783c87 f096d2 d24ba5 a5b43c 003cd2 ff00c3 e1875a 78b44b 691e00 c35a2d 9669a5 00b44b 3c3c0f 005a87 ff7896 5aa5b4 0096d2 005ae1 7887ff d269d2 96c378 c3b400 690fc3 b43c4b 1e7800 00693c 7896d2 78005a 0f1ea5 870000 4b3ca5 b45aff 785a1e c3b487 ff69d2 f04b2d 96003c 784b3c b400a5 4b5ad2 b487ff 961e87 e14b5a 783c5a 3c5a3c 00963c 78c3c3 69a578 00b469 964b1e e10096 a57896 4b2d69 c396c3 ff78c3 ffa53c 2d4b96 00b496 b43c69 5a3c5a 1e4b69 00b42d 965ac3 a5872d 3c8796 c3695a 78782d 96b4f0 4b691e 873cd2 00874b b49669 4b9600 004bb4 5ab4ff 1e3c1e d23cc3 e1870f 69c369 c369e1 005a00 7869b4 692d69 e1783c e17896 e13c3c 782d2d 00a5a5 7869f0 5a69d2 c39600 ff5a0f 4b4b78 00d24b 875a78 e1695a 2d7878 f00069 ffa578 007896 5a4bf0 b47878 787800 a500b4 e178c3 87c33c 874b5a b40069 a596d2 ff9687 692d87 00c387 692db4 f087b4 782da5 696996 5a3c0f c3875a e12d78 c34b0f 9678e1 b469a5 8796ff 2d87d2 872d1e 4b693c 87875a ff78ff");
const farOnDark = hex("56b4e9 e69f00 009e73 d55e00 f0e442 cc79a7 ededed 695aff 00ff78 f02de1 f0005a 5a8700 ffb487 00ffff 8778e1 b4f0a5 87784b 69d200 e1c3ff ff0096 69b4b4 ff8796 00ffc3 c3c35a c33ca5 00c369 d2694b 7869a5 e187f0 96b487 ff2d3c a5781e c35aff b45a69 b4ff78 00a5ff 3c873c ffb4d2 0087a5 2db42d b4ff1e 0078f0 f0964b 96e1c3 a5b400 87e1ff ff78d2 a596c3 87d269 f0e196 ffc3b4 2d78c3 ff1ec3 a54bc3 c39678 96a55a a5a5ff ff4b87 3c8778 5ad296 ffc35a 00d2b4 ff3c00 d24b87 a5f0f0 69ff4b e1e1b4 b4e13c f0f078 b478c3 87ff96 875ae1 b4960f 5a875a d28796 5affe1 e15a69 ff78b4 d278ff ff7800 00f096 c3965a ffc300 ff8778 00c3d2 78781e 00962d 69b496 87c33c a55a96 f0f000 ff5a5a d23c1e a5b4f0 69a5c3 4be14b ff693c a5693c 87c378 b4695a ffa5e1 b45a1e 96a52d 96ffc3 e15ad2 d200b4 966987 c31ed2 c3c387 e14ba5 00d25a c3f087 8787d2 69a53c ffc378 6987b4 ffa5ff d23c3c d2c33c 5aa569 00a596 d23c69 0096d2 b478e1 ff9669 ff69ff 965ab4 e1871e a5963c 00c30f ffd2a5 d2a5c3 ffa596 964bf0 00d2ff 5aa500 c3e100 e16987 69a5f0 d296d2 69e1d2 ff96b4 e10f78 7878ff 4b87f0 ffd2ff d2c300 b46900 d2a54b 969669 b496e1 b4e1b4 78e187 b4ff5a ffc33c 878700 d269b4 e1a5a5 c3783c 96695a 00a55a b4d278 d2b469 b4d24b 87f01e e1693c a578ff 3cb44b b45a87 a56978 8796ff 1e9600 d25ae1 5a872d e18778 3c96a5 ff004b 78ff69 9678a5 0069ff e11e00 c34b4b ffa53c 87c3b4 e11ea5 5a69d2 00874b 87c3e1 ff873c 699678 96e15a 008787 3ce1f0 b44bb4 00a5c3 5a78b4 ff4b69 b42de1 00b478 c37878 e1b496 69f0c3 1ec396 b4d2ff ff5ad2 e1f05a 87c30f c32dc3 c3b4e1 f087c3 ff785a ff78f0 d2a5ff 00b4b4 ff4be1 78f0a5 0fb4ff e15aff 4bc3b4 d2782d e178d2 d2962d 96d296 4b7896 69874b 008769 69f078 ffe187 87d2d2 69c34b b45ae1 00d287 3ce12d 3cd2d2 9687c3 ff9600 6969c3 c3f0d2 ff3cb4 ff6987 87a500 ff0078 b4a569 c36987 6996d2 3ce178 3c69f0 c34b2d 69b45a ffe11e");

/** A class's colour on pages of either theme: its place among all colours. */
export type Shade = number;

/** The number of shades. */
const most = farOnLight.length;

/** isShade reports whether a value is a shade. */
export function isShade(v: unknown): v is Shade {
  return Number.isInteger(v) && (v as Shade) >= 0 && (v as Shade) < most;
}

/** shadeColor returns the colour of a shade. */
export function shadeColor(s: Shade, theme: Theme): RGBA {
  return (theme.dark ? farOnDark : farOnLight)[s]!;
}

/** The ranges of the shades that a text asks for, one after the other. The first colours are the easiest to distinguish. */
const wishes = [{ tries: 3, below: 10 }, { tries: 8, below: 64 }] as const;

/** Nearly black on light pages, and nearly white on dark ones. Texts do not ask for it: it looks like no class. */
const inkShade = 6;

/** The number of a name's first bytes that count: the server cuts longer names. */
const counted = 256;

/** numberOf returns the number at the end of a name, -1 if there is none or it is no shade. */
function numberOf(name: string): Shade {
  const digits = /[0-9]+$/.exec(name)?.[0] ?? "";
  return digits !== "" && Number(digits) < most && bytesOf(name).length <= counted ? Number(digits) : -1;
}

/** wanted yields all shades in the order in which a name asks for them: first its number, then its hashes, then the first ones. Some come more than once. */
function* wanted(name: string): Generator<Shade> {
  const n = numberOf(name);
  if (n >= 0) yield n;
  const sum = hashed(name);
  let attempt = 0;
  for (const { tries, below } of wishes)
    for (let i = 0; i < tries; i++) {
      const s = scrambled(sum + Math.imul(attempt++, 0x9e3779b9)) % below;
      if (s !== inkShade) yield s;
    }
  for (let s = 0; s < most; s++) yield s;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** hashed is FNV-1a of the text's bytes. */
function hashed(text: string): number {
  let h = 0x811c9dc5;
  for (const byte of bytesOf(text).subarray(0, counted)) h = Math.imul(h ^ byte, 0x01000193);
  return h;
}

/** scrambled is the finalizer of MurmurHash3 (A. Appleby). */
function scrambled(x: number): number {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/**
 * inOrder sorts names in the order in which they choose their shades. Those that end in numbers come first, since no two of them that differ only by the
 * number ask for the same shade. The order of texts is random, so that a new one takes the shade of another in half of the cases at most.
 */
export function inOrder(names: readonly string[]): string[] {
  const turn = (name: string): number => scrambled(hashed(name) ^ 0x5bd1e995) + (numberOf(name) < 0 ? 2 ** 32 : 0);
  const turns = new Map(names.map((name) => [name, turn(name)]));
  return [...names].sort((a, b) => turns.get(a)! - turns.get(b)! || (a < b ? -1 : Number(a > b)));
}

/** assign gives names without a shade the first free one that they ask for. Of very many names some share a shade. */
export function assign(names: readonly string[], shades: Map<string, Shade>): void {
  const taken = new Set(names.flatMap((name) => shades.get(name) ?? []));
  for (const name of names) {
    if (shades.has(name)) continue;
    let found = -1;
    if (taken.size < most) {
      for (const s of wanted(name)) {
        if (taken.has(s)) continue;
        found = s;
        break;
      }
    } else found = wanted(name).next().value as Shade;
    taken.add(found);
    shades.set(name, found);
  }
}
