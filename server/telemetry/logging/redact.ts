/** Field names, in any letter case and depth, whose values are redacted. */
const SECRET_NAMES = [
  'SecretID',
  'Secrets',
  'X-Service-Token',
  'X-Consul-Token',
  'X-Nomad-Token',
  'Authorization',
  'Proxy-Authorization',
  'Cookie',
  'Set-Cookie',
  'Token',
  'Tokens',
  'BearerToken',
  'initial_management',
  'OIDCClientSecret',
  'OIDCClientAssertion',
  'ServiceAccountJWT',
  'ClientNonce',
  'CodeVerifier',
  'code_verifier',
  'client_secret',
  'client_assertion',
  'id_token',
  'access_token',
  'refresh_token',
  'encryption',
  'signing'
]

/** A quoted name, with backslashes in JSON within a text. */
const NAMED = new RegExp(`(?<!\\\\)(\\\\*)"(?:${SECRET_NAMES.join('|')})\\1"\\s*:\\s*`, 'gi')

/** Secrets in URL queries, `Bearer …` and webhook secrets, anywhere in a text. */
const IN_TEXT =
  /([?&](?:token|secret|code|client_nonce|id_token|access_token)=)[^&\s"'\\#<>]+|(\bBearer\s+)[^\s"'\\,]+|(\bwhsec_)[A-Za-z0-9+/=]+/gi

const HIDDEN = '[redacted]'

/**
 * Redacts values of the names above (texts, objects and lists, also in JSON within a text), tokens in URLs, bearer tokens and webhook
 * secrets. Empty texts and `null` are unchanged. Time is linear in the length of the line.
 */
export const redact = (line: string): string => {
  let kept = ''
  let from = 0
  NAMED.lastIndex = 0
  for (let found = NAMED.exec(line); found !== null; found = NAMED.exec(line)) {
    const start = NAMED.lastIndex
    const quote = `${found[1] ?? ''}"`
    const end = endOfValue(line, start, quote)
    if (isPlain(line.slice(start, end), quote)) continue
    kept += `${line.slice(from, start)}${quote}${HIDDEN}${quote}`
    from = end
    NAMED.lastIndex = end
  }
  return (kept + line.slice(from)).replace(
    IN_TEXT,
    (_, query?: string, bearer?: string, webhook?: string) => `${query ?? bearer ?? webhook}${HIDDEN}`
  )
}

/** Returns true for null and numbers. */
const isPlain = (value: string, quote: string): boolean =>
  value === quote + quote || /^(null|true|false|\d+|)$/.test(value)

/** Returns the end of the JSON value at `start`. @param quote of texts at this depth */
const endOfValue = (line: string, start: number, quote: string): number => {
  let depth = 0
  let at = start
  while (at < line.length) {
    if (line.startsWith(quote, at)) {
      at = endOfText(line, at + quote.length, quote)
      if (depth === 0) return at
      continue
    }
    const letter = line[at]
    if (depth === 0 && letter !== undefined && ',}]"\\ '.includes(letter)) return at
    if (letter === '{' || letter === '[') depth++
    at++
    if ((letter === '}' || letter === ']') && --depth === 0) return at
  }
  return line.length
}

/**
 * Returns the end of the text at `at`, with its closing quote. In JSON within `depth` texts, a quote has 2^depth - 1 backslashes, and an
 * escaped one has more.
 */
const endOfText = (line: string, at: number, quote: string): number => {
  const backslashes = quote.length - 1
  let run = 0
  for (let next = at; next < line.length; next++) {
    if (line[next] === '"' && run % (2 * quote.length) === backslashes) return next + 1
    run = line[next] === '\\' ? run + 1 : 0
  }
  return line.length
}
