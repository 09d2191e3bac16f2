// An intention, as the API lists it: who may connect to whom.
import { formatRequestMatch } from './format-request-match.js'

export interface Intention {
  readonly SourceNS: string
  readonly SourceName: string
  readonly SourcePartition?: string
  readonly DestinationNS: string
  readonly DestinationName: string
  /** None with permissions. */
  readonly Action?: string
  readonly Permissions?: readonly { readonly Action?: string; readonly HTTP?: unknown }[]
  readonly Description?: string
  /** The highest one decides. */
  readonly Precedence: number
}

/** As the API takes it in parameters. */
export const sourceOf = ({ SourceNS, SourceName }: Intention): string => `${SourceNS}/${SourceName}`
export const destinationOf = ({ DestinationNS, DestinationName }: Intention): string =>
  `${DestinationNS}/${DestinationName}`

export const idOf = (intention: Intention): string =>
  JSON.stringify([destinationOf(intention), sourceOf(intention), intention.SourcePartition])

/** Omits the default namespace of a name. */
export const shortNameOf = (qualified: string): string => qualified.replace(/^default\//, '')

/** What it says of requests, the permissions in the order in which they are looked at. */
export const formatIntention = ({ Action = '', Permissions = [] }: Intention): string =>
  Permissions.length === 0
    ? Action
    : Permissions.map(each => `${each.Action ?? ''} ${formatRequestMatch(each.HTTP) || 'all'}`).join('; ')

const isMeant = (wanted: string, qualified: string): boolean => {
  const [ns = '', name = ''] = qualified.split('/')
  const [wantedNs = '', wantedName = ''] = (wanted.includes('/') ? wanted : `default/${wanted}`).split('/')
  return (ns === '*' || ns === wantedNs) && (name === '*' || name === wantedName)
}

/** The intention that decides, of those that bear on a destination, in their order. */
export const decidingOf = (intentions: readonly Intention[], source: string): Intention | undefined =>
  intentions.find(each => isMeant(source, sourceOf(each)))
