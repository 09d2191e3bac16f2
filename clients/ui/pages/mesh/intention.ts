import type { Schemas } from '../../../typescript/typed/index.js'
import { formatRequestMatch } from './format-request-match.js'

export type Intention = Schemas['Intention']

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

const matchesName = (wanted: string, qualified: string): boolean => {
  const [ns = '', name = ''] = qualified.split('/')
  const [wantedNs = '', wantedName = ''] = (wanted.includes('/') ? wanted : `default/${wanted}`).split('/')
  return (ns === '*' || ns === wantedNs) && (name === '*' || name === wantedName)
}

/** Returns the deciding intention. @param intentions of a destination, by precedence */
export const decidingOf = (intentions: readonly Intention[], source: string): Intention | undefined =>
  intentions.find(each => matchesName(source, sourceOf(each)))
