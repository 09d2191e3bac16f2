// Points in time as people write them: a commit number, an age, a time of today or yesterday, or a date.
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
const AGE = /^(\d{1,9})\s*([smhdw])[a-z]*(?:\s+ago)?$/
const DAY = /^(?:(today|yesterday)\b)?\s*(?:(?:at\s+)?(\d{1,2}):(\d{2}))?$/

/** Returns an index, or RFC 3339; undefined if the text is neither. @param now in ms */
export const pointInTimeIn = (text: string, now: number): number | string | undefined => {
  const written = text.trim().toLowerCase()
  if (/^\d{1,15}$/.test(written)) return Number(written)
  const [, count, unit = ''] = AGE.exec(written) ?? []
  if (count !== undefined) return new Date(now - Number(count) * (UNITS[unit] ?? 0) * 1000).toISOString()
  const [found, day, hours = '0', minutes = '0'] = DAY.exec(written) ?? []
  if (found) {
    const date = new Date(now)
    if (day === 'yesterday') date.setDate(date.getDate() - 1)
    date.setHours(Number(hours), Number(minutes), 0, 0)
    return date.toISOString()
  }
  const time = Date.parse(text.trim())
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}
