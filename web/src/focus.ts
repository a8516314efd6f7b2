// The keyboard's focus, when the element that had it is drawn again or disappears.

/** keepFocus draws a part of the page again. If an element in it had the focus, the new element with the same value of a data attribute gets it, else the fallback. */
export function keepFocus(box: HTMLElement, name: string, redraw: () => void, fallback?: () => HTMLElement | null): void {
  const active = document.activeElement as HTMLElement | null;
  const had = active !== box && box.contains(active);
  const key = had ? active!.dataset[name] : undefined;
  redraw();
  if (!had || box.contains(document.activeElement)) return;
  const next = key === undefined ? undefined : [...box.querySelectorAll<HTMLElement>(`[data-${name}]`)].find((e) => e.dataset[name] === key);
  (next ?? fallback?.())?.focus({ preventScroll: true });
}

/** isDrawn reports whether an element is in the page and not hidden. */
export function isDrawn(e: Element | null): e is HTMLElement {
  return e instanceof HTMLElement && e !== document.body && e.isConnected && e.getClientRects().length > 0;
}

/** toMap gives the focus to the map. */
export function toMap(): void {
  document.getElementById("over")!.focus({ preventScroll: true });
}

/** Origin is the element from which a panel was opened. Its list may be drawn again meanwhile: then the element at the same place counts. */
export class Origin {
  private constructor(private readonly element: HTMLElement, private readonly list: HTMLElement | null, private readonly place: number) {}

  /** here returns the element that has the focus as origin. */
  static here(): Origin {
    const element = document.activeElement as HTMLElement;
    const list = element.closest<HTMLElement>("aside > section, #hits");
    return new Origin(element, list, list ? buttons(list).indexOf(element) : -1);
  }

  /** focus gives the focus back, to the map if the element is gone. */
  focus(): void {
    const next = [this.element, this.list ? (buttons(this.list)[this.place] ?? null) : null].find(isDrawn);
    if (next) next.focus();
    else toMap();
  }
}

function buttons(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("button, input, select, summary")];
}
