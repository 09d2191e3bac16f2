// Medians, percentiles, and the output of figures.

export function median(list) {
  const sorted = list.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** @param sorted ascending, not empty */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

/** Returns the median of each field of several rounds. */
export function medianRound(rounds) {
  const field = name => median(rounds.map(round => round[name]))
  return { rate: field('rate'), p50: field('p50'), p99: field('p99') }
}

const ms = time => time.toFixed(time < 10 ? 3 : 1).padStart(7)

export function roundText({ rate, p50, p99 }) {
  return `${Math.round(rate).toLocaleString('en').padStart(7)}/s  p50 ${ms(p50)} p99 ${ms(p99)} ms`
}

/** @param target a minimum with `atLeast`, otherwise a maximum; undefined for none */
export function targetText(value, target, atLeast = true) {
  if (target === undefined) return ''
  const reached = atLeast ? value >= target : value <= target
  return `  (target ${atLeast ? '>=' : '<='} ${target}: ${reached ? 'reached' : 'NOT reached'})`
}
