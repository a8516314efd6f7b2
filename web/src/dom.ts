// Elements of the page. All text is inserted as text, never parsed as markup.

type Child = Node | string | null;

interface Props {
  class?: string;
  title?: string;
  label?: string;
  pressed?: boolean;
  type?: string;
  disabled?: boolean;
  on?: Partial<{ [K in keyof HTMLElementEventMap]: (e: HTMLElementEventMap[K]) => void }>;
}

/** h makes an element. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  if (props.class) e.className = props.class;
  if (props.title) e.title = props.title;
  if (props.label) e.setAttribute("aria-label", props.label);
  if (props.pressed !== undefined) e.setAttribute("aria-pressed", String(props.pressed));
  if (props.type) e.setAttribute("type", props.type);
  if (props.disabled) e.setAttribute("disabled", "");
  for (const [name, f] of Object.entries(props.on ?? {})) e.addEventListener(name, f as EventListener);
  e.append(...children.filter((c): c is Node | string => c !== null));
  return e;
}

/** $ returns the element with an id, which must exist. */
export function $<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** icon draws a line icon: a path in a 24 x 24 square. */
export function icon(path: string): SVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const p = document.createElementNS(ns, "path");
  p.setAttribute("d", path);
  svg.append(p);
  return svg;
}

/** save offers a file as a download. */
export function save(name: string, type: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const a = h("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
