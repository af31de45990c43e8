// A uPlot chart that follows its data, its width and the theme.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { resolved, useTheme } from "./theme";

export type Ink = (name: string) => string;

interface Chart {
  options: (ink: Ink) => Omit<uPlot.Options, "width" | "height">;
  data: uPlot.AlignedData;
  height?: number;
  label: string; // for those who do not see it
  version?: unknown; // changes with the options
}

// Axes as the page's colours have them.
export function axis(ink: Ink, label: string, more: Partial<uPlot.Axis> = {}): uPlot.Axis {
  return {
    label,
    labelSize: 22,
    stroke: ink("--ink"),
    grid: { stroke: ink("--line"), width: 1 },
    ticks: { stroke: ink("--line"), width: 1 },
    font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
    ...more,
  };
}

export function Plot({ options, data, height = 260, label, version }: Chart) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const theme = useTheme();
  useEffect(() => {
    const host = box.current!;
    const made = new uPlot({ ...options(resolved), width: Math.max(200, host.clientWidth), height }, data, host);
    chart.current = made;
    const resized = new ResizeObserver(() => {
      const width = Math.max(200, host.clientWidth);
      if (width !== made.width) made.setSize({ width, height });
    });
    resized.observe(host);
    return () => {
      resized.disconnect();
      chart.current = null;
      made.destroy();
    };
  }, [theme, version, height]);
  const drawn = useRef(data);
  useEffect(() => {
    if (drawn.current !== data) chart.current?.setData(data);
    drawn.current = data;
  }, [data]);
  return <div class="plot" ref={box} role="img" aria-label={label} />;
}
