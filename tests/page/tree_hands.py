"""Operates the search tree like a person, who sees only the drawing and the page's tooltips."""

from __future__ import annotations

from webdriver import Browser

# Moves the mouse over the canvas until the tooltip names a node for which `wanted` holds; returns its place in the
# viewport.
SCAN = """
const [wanted, step] = [arguments[0], arguments[1]];
const done = arguments[arguments.length - 1];
const canvas = document.querySelector('canvas.tree');
canvas.scrollIntoView({block: 'center'});
const frame = () => new Promise(requestAnimationFrame);
(async () => {
  const box = canvas.getBoundingClientRect();
  for (let x = 4; x < box.width; x += step)
    for (let y = 4; y < box.height; y += step) {
      const at = {clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true};
      canvas.dispatchEvent(new PointerEvent('pointermove', at));
      if (canvas.style.cursor !== 'pointer') continue;
      await frame();
      await frame();
      const tip = document.querySelector('.tip')?.innerText ?? '';
      if (tip.includes(wanted)) return done({x: Math.round(at.clientX), y: Math.round(at.clientY), tip});
      y += 2 * step;  // past this node
    }
  done(null);
})();
"""

# Drags the view to and fro for some frames, then turns the wheel; returns the times between frames in ms.
FRAMES = """
const done = arguments[arguments.length - 1];
const canvas = document.querySelector('canvas.tree');
canvas.scrollIntoView({block: 'center'});
const box = canvas.getBoundingClientRect();
const at = (i) => ({clientX: box.left + 600 + 150 * Math.sin(i / 9), clientY: box.top + 200 + 90 * Math.cos(i / 7),
                    pointerId: 1, bubbles: true, buttons: 1});
canvas.setPointerCapture = () => {};  // there is no real pointer to capture
const frame = () => new Promise(requestAnimationFrame);
(async () => {
  const measure = async (n, act) => {
    const times = [];
    let before = await frame();
    for (let i = 0; i < n; ++i) {
      act(i);
      const now = await frame();
      times.push(now - before);
      before = now;
    }
    return times;
  };
  canvas.dispatchEvent(new PointerEvent('pointerdown', at(0)));
  const pan = await measure(150, (i) => canvas.dispatchEvent(new PointerEvent('pointermove', at(i))));
  canvas.dispatchEvent(new PointerEvent('pointercancel', at(150)));
  const zoom = await measure(100, (i) => canvas.dispatchEvent(
    new WheelEvent('wheel', {...at(0), deltaY: i < 50 ? -40 : 40, bubbles: true, cancelable: true})));
  const hover = await measure(100, (i) => canvas.dispatchEvent(new PointerEvent('pointermove', {...at(i), buttons: 0})));
  done({pan, zoom, hover});
})();
"""


def find_node(browser: Browser, wanted: str, step: int = 6) -> dict[str, int]:
    found = browser.run_async(SCAN, wanted, step)
    assert found is not None, f"no node under the mouse says '{wanted}'"
    return dict(found)


def frame_times(browser: Browser) -> dict[str, list[float]]:
    return dict(browser.run_async(FRAMES))
