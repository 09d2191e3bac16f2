import { reasonValue } from '../../typescript/connection.js'

export const reasonHeaders = (text: string): Readonly<Record<string, string>> => {
  const reason = text.trim()
  return reason === '' ? {} : { 'X-Service-Reason': reasonValue(reason) }
}
