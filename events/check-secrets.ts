// Secrets in the definitions of health checks: the values of headers, bodies, and passwords in URLs.
import { HIDDEN } from './values.js'

interface SecretFields {
  readonly HTTP?: string
  readonly Header?: Readonly<Record<string, readonly string[]>>
  readonly Body?: string
}

type Secrets = Readonly<Record<string, string>>

/** Shorter secrets occur in ordinary text and are not masked. */
const SHORTEST_MASKED = 4
/** Matches the part before the password, the password, and the rest. URL parsers accept any number of slashes. */
const PASSWORD_IN_URL = /^(\s*[a-z][a-z0-9+.-]*:[/\\]*[^/\\?#@:]*:)([^/\\?#]*)(@.*)$/is

const partsOf = (url: string | undefined): readonly string[] | undefined =>
  url === undefined ? undefined : PASSWORD_IN_URL.exec(url)?.slice(1)

const hideUrl = (url: string): string => {
  const [before, , after] = partsOf(url) ?? []
  return before === undefined ? url : `${before}${HIDDEN}${after}`
}

const headersOf = ({ Header }: Pick<SecretFields, 'Header'>) => Object.entries(Header ?? {})

const mapHeaders = (
  definition: SecretFields,
  change: (value: string, name: string, position: number) => string
): SecretFields['Header'] =>
  Object.fromEntries(
    headersOf(definition).map(([name, values]) => [name, values.map((value, i) => change(value, name, i))])
  )

/** Returns a definition with its secrets hidden, or the same object if it has none. */
export const hideSecrets = <Definition extends SecretFields>(definition: Definition): Definition => {
  const { HTTP, Body } = definition
  const hasHeaders = headersOf(definition).length > 0
  const hasPassword = partsOf(HTTP) !== undefined
  if (!hasHeaders && !Body && !hasPassword) return definition
  return {
    ...definition,
    ...(hasHeaders ? { Header: mapHeaders(definition, () => HIDDEN) } : {}),
    ...(Body ? { Body: HIDDEN } : {}),
    ...(HTTP !== undefined && hasPassword ? { HTTP: hideUrl(HTTP) } : {})
  }
}

/** Returns the secrets of a definition under their names in events. */
export const secretsOf = (definition: SecretFields): Secrets => {
  const { Header, Body, HTTP } = definition
  return {
    ...(headersOf(definition).length > 0 ? { '': JSON.stringify(Header) } : {}),
    ...(Body ? { '.Body': Body } : {}),
    ...(HTTP !== undefined && partsOf(HTTP) ? { '.HTTP': HTTP } : {})
  }
}

interface StoredSecrets {
  /** JSON of the headers. */
  readonly headers: string | undefined
  readonly body: string | undefined
  /** The URL with its password. */
  readonly url: string | undefined
}

export const revealSecrets = <Definition extends SecretFields>(
  definition: Definition,
  { headers, body, url }: StoredSecrets
): Definition => {
  const revealed: SecretFields['Header'] = headers === undefined ? {} : JSON.parse(headers)
  return {
    ...definition,
    ...(headers === undefined ? {} : { Header: { ...definition.Header, ...revealed } }),
    ...(body === undefined ? {} : { Body: body }),
    ...(url === undefined ? {} : { HTTP: url })
  }
}

export const hasHiddenSecret = ({ HTTP, Body, ...rest }: SecretFields): boolean =>
  Body === HIDDEN || partsOf(HTTP)?.[1] === HIDDEN || headersOf(rest).some(([, all]) => all.includes(HIDDEN))

/** Thrown for a `<hidden>` value without a stored secret. */
export class UnknownSecret extends Error {
  override readonly name = 'UnknownSecret'
  constructor(readonly field: string) {
    super(`field "${field}" is "${HIDDEN}" and no value is stored for it; send the value itself`)
  }
}

const kept = (stored: string | undefined, field: string): string => {
  if (stored === undefined) throw new UnknownSecret(field)
  return stored
}

/** Returns a definition in which the stored secrets replace each `<hidden>`, or the same object if it holds none. @throws UnknownSecret */
export const keepSecrets = <Definition extends SecretFields>(
  definition: Definition,
  stored: SecretFields = {}
): Definition => {
  if (!hasHiddenSecret(definition)) return definition
  const { HTTP, Body, Header } = definition
  const [before, password, after] = partsOf(HTTP) ?? []
  return {
    ...definition,
    ...(Header
      ? {
          Header: mapHeaders(definition, (value, name, i) =>
            value === HIDDEN ? kept(stored.Header?.[name]?.[i], `Header.${name}`) : value
          )
        }
      : {}),
    ...(Body === HIDDEN ? { Body: kept(stored.Body || undefined, 'Body') } : {}),
    ...(password === HIDDEN ? { HTTP: `${before}${kept(partsOf(stored.HTTP)?.[1], 'HTTP')}${after}` } : {})
  }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the forms in which a password reaches a server: encoded, decoded, and as basic authentication. */
const passwordForms = (url: string | undefined): readonly string[] => {
  const [before = '', password] = partsOf(url) ?? []
  if (password === undefined) return []
  const [, user = ''] = /([^/\\:]*):$/.exec(before) ?? []
  const plain = decoded(password)
  return [password, plain, Buffer.from(`${decoded(user)}:${plain}`).toString('base64')]
}

/** Returns a header value with and without its scheme, such as `Bearer`. */
const headerForms = (value: string): readonly string[] => [value, value.replace(/^\S+\s+/, '')]

/** Returns the length of the longest end of a text that is the beginning of a secret. */
const cutOff = (text: string, secret: string): number => {
  const end = text.slice(-(secret.length - 1))
  // The prefix function of Knuth, Morris and Pratt: linear in the length of the secret.
  const borders = [0]
  let length = 0
  const advance = (char: string | undefined): void => {
    while (length > 0 && (length === secret.length || secret[length] !== char))
      length = borders[length - 1] ?? 0
    if (secret[length] === char) length++
  }
  for (let i = 1; i < end.length; i++) {
    advance(secret[i])
    borders.push(length)
  }
  length = 0
  for (let i = 0; i < end.length; i++) advance(end[i])
  return length
}

/** Returns an output in which `<hidden>` replaces each secret of at least four characters. */
export const maskSecrets = (output: string, definitions: readonly SecretFields[]): string => {
  if (output === '') return output
  const urls = definitions.flatMap(({ HTTP }) => (partsOf(HTTP) && HTTP !== undefined ? [HTTP] : []))
  const secrets = definitions.flatMap(definition => [
    ...passwordForms(definition.HTTP),
    ...headersOf(definition).flatMap(([, values]) => values.flatMap(headerForms)),
    definition.Body ?? ''
  ])
  const masked = [...new Set(secrets)]
    .filter(secret => secret.length >= SHORTEST_MASKED && secret !== HIDDEN)
    .toSorted((a, b) => b.length - a.length)
  const withoutUrls = urls.reduce((text, url) => text.replaceAll(url, () => hideUrl(url)), output)
  const shown = masked.reduce((text, secret) => text.replaceAll(secret, () => HIDDEN), withoutUrls)
  const cut = Math.max(0, ...masked.map(secret => cutOff(shown, secret)))
  return cut < SHORTEST_MASKED ? shown : shown.slice(0, -cut) + HIDDEN
}
