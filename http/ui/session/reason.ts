// Why a write is made, for the log.

/** The header that says so, as RFC 8187 writes it where it is not ASCII; none for an empty text. */
export const reasonHeaders = (text: string): Readonly<Record<string, string>> => {
  const reason = text.trim()
  if (reason === '') return {}
  const isPlain = /^[\x20-\x7e]*$/.test(reason)
  return { 'X-Service-Reason': isPlain ? reason : `UTF-8''${rfc8187(reason)}` }
}

/** Percent-encodes what is no `attr-char` of RFC 8187. */
const rfc8187 = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
