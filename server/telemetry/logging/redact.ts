// Takes secrets out of a line of log: the last step before it is written, so that it holds for whatever was logged.

/** Names, in any letter case, whose values never reach the log, at any depth. */
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

/** A name with its quotes, which bear backslashes when the JSON stands inside a text. */
const NAMED = new RegExp(`(?<!\\\\)(\\\\*)"(?:${SECRET_NAMES.join('|')})\\1"\\s*:\\s*`, 'gi')

/** A secret in the query of a URL, and `Bearer …` and secrets of webhooks wherever they stand. */
const IN_TEXT =
  /([?&](?:token|secret|code|client_nonce|id_token|access_token)=)[^&\s"'\\#<>]+|(\bBearer\s+)[^\s"'\\,]+|(\bwhsec_)[A-Za-z0-9+/=]+/gi

const HIDDEN = '[redacted]'

/**
 * The line without the secrets that it holds: values of the names above (texts, objects and lists alike, also where
 * JSON was logged as text), tokens in URLs, bearer tokens and secrets of webhooks. Empty texts, `null` and the rest of the line stay as they
 * are. Time is linear in the length of the line.
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

/** What cannot be a secret: nothing, and numbers. */
const isPlain = (value: string, quote: string): boolean =>
  value === quote + quote || /^(null|true|false|\d+|)$/.test(value)

/** Where the JSON value that begins at `start` ends. `quote` is how a text is quoted there. */
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
 * Where the text that begins at `at` ends, its closing quote included. In JSON inside of `depth` texts a quote bears
 * 2^depth - 1 backslashes, and one that belongs to the text more of them.
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
