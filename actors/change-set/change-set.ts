import type { Event } from '../../events/envelope.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Command } from '../aggregate.js'
import type { ChangeOutcome } from './change-set-draft.js'

type ChangeDecision = (views: Views) => readonly ChangeOutcome[]

/** A change set: changes of several resources in one commit. Each change has a tenancy of its own and is checked with it. */
export const changeSetAggregate: Aggregate<
  Command<'ApplyChangeSet', { readonly decide: ChangeDecision }>,
  { readonly events: readonly Event[]; readonly outcomes: readonly ChangeOutcome[] }
> = {
  scope: 'cluster',
  decide: ({ data }, views) => {
    const outcomes = data.decide(views)
    return { events: outcomes.flatMap(({ events }) => events), outcomes }
  }
}
