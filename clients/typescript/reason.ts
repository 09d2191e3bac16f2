// Why a write is made, for the log of the server: the header `X-Service-Reason`.

/** Percent-encodes what is no `attr-char` of RFC 8187. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /['()*]/g,
    letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** A reason as the header has it: as RFC 8187 writes it where it is not ASCII, or looks as if it were written so. */
export const reasonValue = (reason: string): string =>
  /^[\x20-\x7e]*$/.test(reason) && !/^utf-8'/i.test(reason) ? reason : `UTF-8''${encoded(reason)}`
