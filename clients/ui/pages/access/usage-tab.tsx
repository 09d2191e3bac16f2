// The use of the rights of a token, policy or role, from the recorded questions.
import type { FunctionComponent } from 'preact'
import type { Schemas } from '../../../typescript/typed/index.js'
import { Badge, Facts, Refusal, RelativeTime, Section, Table, Who } from '../../design/index.js'
import { useResponse } from '../../session/use-response.js'
import type { PanelProps } from '../resource/resource-view.js'
import { SourceLink, sourceText } from './explanation.js'

type Usage = Schemas['AccessUsage']
type Rule = Usage['Rules'][number]

const stateOf = (state: string) => <Badge tone={state === 'unused' ? 'warn' : 'plain'}>{state}</Badge>

const usersOf = ({ UsedBy, Users }: Rule) => {
  const named = UsedBy.map(({ AccessorID }) =>
    AccessorID === undefined ? (
      'deleted tokens '
    ) : (
      <span key={AccessorID}>
        <Who accessor={AccessorID} />{' '}
      </span>
    )
  )
  return Users > named.length ? [...named, `${Users - named.length} more`] : named
}

const ruleCells = (rule: Rule) => [
  <code>
    {rule.Text} {rule.Level}
  </code>,
  rule.Namespace,
  <SourceLink source={rule.Source} />,
  stateOf(rule.State),
  rule.Count,
  rule.LastUsed && <RelativeTime at={rule.LastUsed} isShort />,
  usersOf(rule),
  rule.Overlap && `adds nothing to ${rule.Overlap.Text} of ${sourceText(rule.Overlap.Source)}`
]

const coverageOf = ({ Since, RecordedDays, RequiredDays, Gaps, NotHeard }: Usage['Coverage']) =>
  [
    ['Recorded since', Since && <RelativeTime at={Since} isShort />],
    ['Recorded', `${RecordedDays} of ${RequiredDays} days, after which rules without use are “unused”`],
    ['Gaps', Gaps.length || undefined],
    ['Not heard of', NotHeard.join(', ')]
  ] as const

/** Returns the tab of a kind. */
export const usageTab =
  (kind: 'token' | 'policy' | 'role'): FunctionComponent<PanelProps> =>
  ({ id, place }) => {
    const path = `/v1/acl/${kind}/${encodeURIComponent(id)}/usage`
    const { value, failure } = useResponse<Usage>(path, place)
    if (!value) return failure === undefined ? <p role="status">Loading …</p> : <Refusal text={failure} />
    const { Coverage, Rules, Links } = value
    return (
      <>
        <Facts facts={coverageOf(Coverage)} />
        <Section title="Rules">
          <Table
            label="Rules"
            head={['Rule', 'Namespace', 'From', 'State', 'Count', 'Last used', 'By', 'Note']}
            none="No use of these rights is recorded."
            rows={Rules.map(ruleCells)}
          />
        </Section>
        {Links.length > 0 && (
          <Section title="Links">
            <Table
              label="Links"
              head={['Link', 'State']}
              none="There are none."
              rows={Links.map(link => [<SourceLink source={link} />, stateOf(link.State)])}
            />
          </Section>
        )}
      </>
    )
  }
