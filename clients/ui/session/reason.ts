// Why people change something.
import { reasonValue } from '../../typescript/connection.js'

/** The headers that say so; none for an empty text. */
export const reasonHeaders = (text: string): Readonly<Record<string, string>> => {
  const reason = text.trim()
  return reason === '' ? {} : { 'X-Service-Reason': reasonValue(reason) }
}
