// The proposed next version of a policy: how it differs, what it would change, and its promotion.
import type { Schemas } from '../../../typescript/typed/index.js'
import { ConfirmButton, Notice, Refusal, RelativeTime, Section, TextDiff } from '../../design/index.js'
import { resourcePage, textOf } from '../../resources/kind.js'
import { useBlockingQuery, useResponse, useRoute } from '../../session/use-response.js'
import { asOfIndex } from '../../time-travel/as-of-state.js'
import type { PanelProps, ResourceView } from '../resource/resource-view.js'
import { pathOf, send, type Target } from '../send.js'
import { ImpactView } from './impact.js'

type Key = Pick<Target, 'id' | 'place'>

const policyPath = ({ id, place }: Key): string => pathOf({ path: '/v1/acl/policy', id, place })

const pageOf = (kind: 'policies' | 'policy-proposals', { id = '', place }: Key): string =>
  resourcePage(kind, { key: id, ns: place.ns, partition: place.partition })

const Differences = ({ newest, fields, ...key }: PanelProps) => {
  const path = policyPath(key)
  const { value: live, failure } = useResponse<Schemas['Policy']>(path, key.place, newest.Index)
  const { value: impact, failure: unknown } = useResponse<Schemas['Impact']>(
    `${path}/proposal/impact`,
    key.place,
    newest.Index
  )
  return (
    <>
      <Section title="Rules" failure={failure}>
        {live && (
          <TextDiff before={live.Rules} after={textOf(fields['Rules'])} titles={['Policy', 'Proposal']} />
        )}
      </Section>
      <h2>Impact</h2>
      <Refusal text={unknown} />
      {impact && <ImpactView impact={impact} />}
    </>
  )
}

const Actions = ({ newest, ...key }: PanelProps) => {
  const route = useRoute()
  const { place: query } = key
  const path = `${policyPath(key)}/proposal`
  const open = (): void => route(pageOf('policies', key))
  return (
    <>
      <ConfirmButton
        isHarmless
        label="Promote"
        title="Replace the policy by this proposal?"
        action={reason => send('PUT', `${path}/promote`, { query: { ...query, cas: newest.Index }, reason })}
        done={open}
      >
        The rules of the proposal apply to all tokens of the policy at once.
      </ConfirmButton>
      <ConfirmButton
        label="Withdraw"
        title="Withdraw this proposal?"
        action={reason => send('DELETE', path, { query, reason })}
        done={open}
      />
    </>
  )
}

export const proposalView: ResourceView = {
  permission: () => ({ resource: 'acl', segment: '' }),
  summary: ({ Name, Description, ID, CreateTime, ExpirationTime }, place) => [
    ['Policy', <a href={pageOf('policies', { id: textOf(ID), place })}>{textOf(Name)}</a>],
    ['Description', textOf(Description)],
    ['Proposed', <RelativeTime at={textOf(CreateTime)} isShort />],
    ['Ends', <RelativeTime at={textOf(ExpirationTime)} isShort />]
  ],
  Actions,
  Summary: Differences
}

/** Links the proposal of a policy, if there is one. */
export const ProposalLink = ({ id, place }: Key & { readonly id: string }) => {
  const list = useBlockingQuery<readonly { readonly ID: string }[]>('/v1/acl/policy-proposals', place)
  if (!list.value?.some(({ ID }) => ID === id) || asOfIndex.value !== undefined) return null
  return (
    <Notice>
      <a href={pageOf('policy-proposals', { id, place })}>Other rules are proposed for this policy.</a>
    </Notice>
  )
}

interface ProposeProps extends Key {
  readonly body: () => object
  readonly isFaulty: boolean
  readonly done: () => void
}

/** Proposes the edits of a policy instead of saving them. */
export const ProposeButton = ({ id, place, body, isFaulty, done }: ProposeProps) => {
  const route = useRoute()
  return (
    <ConfirmButton
      isHarmless
      label="Propose"
      title="Propose these edits?"
      disabled={isFaulty}
      action={reason =>
        send('PUT', `${policyPath({ id, place })}/proposal`, { query: place, body: body(), reason })
      }
      done={() => {
        done()
        route(pageOf('policy-proposals', { id, place }))
      }}
    >
      They decide nothing until they are promoted, and end in 30 days. The proposal shows which requests they
      would deny.
    </ConfirmButton>
  )
}
