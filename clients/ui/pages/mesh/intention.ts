import type { Schemas } from '../../../typescript/typed/index.js'
import { fieldIn as get, listIn as list } from '../../resources/kind.js'

const PATHS = [
  ['PathExact', ''],
  ['PathPrefix', '*'],
  ['PathRegex', ' (regex)']
] as const

const condition = (of: string, given: unknown): string => {
  const name = String(get(given, 'Name'))
  const test = ['Exact', 'Prefix', 'Suffix', 'Regex'].find(each => get(given, each))
  const not = get(given, 'Invert') === true ? 'not ' : ''
  return test === undefined
    ? `${not}${of} ${name}`
    : `${not}${of} ${name} ${test.toLowerCase()} ${String(get(given, test))}`
}

/** Returns an empty text if all HTTP requests match. */
export const formatRequestMatch = (http: unknown): string => {
  const path = PATHS.flatMap(([name, sign]) => {
    const found = get(http, name)
    return typeof found === 'string' && found !== '' ? [found + sign] : []
  })
  const methods = list(get(http, 'Methods')).map(String)
  return [
    ...(methods.length > 0 ? [methods.join('|')] : []),
    ...path,
    ...list(get(http, 'Header')).map(each => condition('header', each)),
    ...list(get(http, 'QueryParam')).map(each => condition('query', each))
  ].join(', ')
}

export type Intention = Schemas['Intention']

export interface Pair {
  readonly source: string
  readonly destination: string
}

// Names in the format of the parameters of the API.
export const sourceOf = ({ SourceNS, SourceName }: Intention): string => `${SourceNS}/${SourceName}`
export const destinationOf = ({ DestinationNS, DestinationName }: Intention): string =>
  `${DestinationNS}/${DestinationName}`

export const idOf = (intention: Intention): string =>
  JSON.stringify([destinationOf(intention), sourceOf(intention), intention.SourcePartition])

/** Omits the default namespace of a name. */
export const shortNameOf = (qualified: string): string => qualified.replace(/^default\//, '')

/** Formats the action, or the permissions in their order of evaluation. */
export const formatIntention = ({ Action = '', Permissions = [] }: Intention): string =>
  Permissions.length === 0
    ? Action
    : Permissions.map(each => `${each.Action ?? ''} ${formatRequestMatch(each.HTTP) || 'all'}`).join('; ')

const ANY = '*/*'

/** A name with its namespace, and the wildcards that match it, the most precise first. */
const patternsOf = (name: string): readonly string[] => {
  const qualified = name.includes('/') ? name : `default/${name}`
  return [...new Set([qualified, `${qualified.split('/')[0]}/*`, ANY])]
}

/** Returns the intention that decides about two services; undefined for the default policy. */
type Decider = (source: string, destination: string) => Intention | undefined

/** Looks up the intentions of a pair and of the wildcards that match it; the highest precedence decides. */
export const deciderOf = (intentions: readonly Intention[]): Decider => {
  const byPair = new Map<string, Intention>()
  for (const each of intentions) byPair.set(`${sourceOf(each)} ${destinationOf(each)}`, each)
  return (source, destination) => {
    const sources = patternsOf(source)
    return patternsOf(destination)
      .flatMap(to => sources.flatMap(from => byPair.get(`${from} ${to}`) ?? []))
      .reduce<Intention | undefined>(
        (best, each) => (best && best.Precedence >= each.Precedence ? best : each),
        undefined
      )
  }
}

/** The state of a pair; undefined where the default policy decides. */
type Verdict = 'allow' | 'deny' | 'by request'

export const verdictOf = (intention: Intention | undefined): Verdict | undefined => {
  if (!intention) return undefined
  if ((intention.Permissions?.length ?? 0) > 0) return 'by request'
  return intention.Action === 'allow' ? 'allow' : 'deny'
}
