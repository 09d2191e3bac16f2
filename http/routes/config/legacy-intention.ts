// The body of an intention with an ID, as clients older than service-intentions entries send it.
import { invalid } from '../../../actors/refusal.js'
import type { ServiceIntentions } from '../../../events/config/access.js'
import { formatTime } from '../../../events/time.js'
import { mapOf } from '../../../events/config/fields/containers.js'
import { storedIfFilled, storedAsGiven, object } from '../../../events/config/fields/object.js'
import { text } from '../../../events/config/fields/scalars.js'
import type { Party } from '../../../projections/config/intentions.js'
import { checkMeta } from '../../../projections/config/kinds/kind.js'
import { jsonBodyOf, withRefusal, spellingOf } from './entry-request.js'
import { checkedParty, entryWith, ignoredFields, partyFields, raw } from './intention-request.js'
import type { RequestContext } from '../../wire/request-context.js'

const body = object({
  ...ignoredFields,
  ID: storedIfFilled(text),
  ...partyFields,
  SourceType: storedIfFilled(text),
  Action: storedAsGiven(raw),
  Description: storedAsGiven(raw),
  Meta: storedIfFilled(mapOf(text, '')),
  Permissions: storedAsGiven(raw)
})

interface LegacyIntention {
  /** Empty without an ID. */
  readonly id: string
  readonly destination: Party
  /**
   * Returns the entry of the destination with this source and ID, written at a time in epoch ms.
   * @throws Refusal `invalid`, naming field and rule
   */
  readonly entry: (id: string, at: number) => ServiceIntentions
}

const NO_INTENTION = 'Bad request: Invalid intention: '

/** @throws Refusal `invalid`, naming field and rule */
export const legacyIntentionIn = (request: RequestContext): LegacyIntention => {
  const sent = jsonBodyOf(request)
  const given = withRefusal('Request decode failed: ', () => body(sent, '', spellingOf(request)))
  const { ID = '', SourceName = '', DestinationName = '', SourceType, Action, Description, Meta } = given
  if (SourceName === '') throw invalid('intention.invalid', `${NO_INTENTION}SourceName must be set`)
  if (DestinationName === '') throw invalid('intention.invalid', `${NO_INTENTION}DestinationName must be set`)
  if (Array.isArray(given.Permissions) && given.Permissions.length > 0)
    throw invalid(
      'intention.invalid',
      `${NO_INTENTION}Permissions must not be set when using the legacy APIs`
    )
  const source = checkedParty(request, 'SourceName', {
    name: SourceName,
    namespace: given.SourceNS,
    partition: given.SourcePartition
  })
  const destination = checkedParty(request, 'DestinationName', {
    name: DestinationName,
    namespace: given.DestinationNS,
    partition: given.DestinationPartition
  })
  return {
    id: ID,
    destination,
    entry: (id, at) =>
      withRefusal(NO_INTENTION, () => {
        checkMeta(Meta)
        const fields = { Type: SourceType, Action, Permissions: undefined, Description }
        const { Sources, ...entry } = entryWith(source, destination, fields)
        const time = formatTime(at)
        const legacy = {
          LegacyID: id,
          ...(Meta ? { LegacyMeta: Meta } : {}),
          LegacyCreateTime: time,
          LegacyUpdateTime: time
        }
        return { ...entry, Sources: Sources.map(one => ({ ...one, ...legacy })) }
      })
  }
}
