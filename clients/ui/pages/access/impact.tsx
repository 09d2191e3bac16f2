// The rights that tokens and logins gain and lose by an edited resource.
import { datacenterText, recordedText } from '../../../impact-text.js'
import type { Schemas } from '../../../typescript/typed/index.js'
import { Button, Refusal, RelativeTime, Table, Who } from '../../design/index.js'
import { pathOf, type Target, useQuestion } from '../send.js'

type Impact = Schemas['Impact']
type Effect = Impact['Effects'][number]
type Subject = Effect['Subjects'][number]

const SubjectView = ({ subject: { Kind, ID, Name, Selector } }: { readonly subject: Subject }) =>
  Kind === 'binding rule' ? (
    <>
      {Kind} {Name ?? ID.slice(0, 8)} ({Selector ?? 'every login'})
    </>
  ) : (
    <>
      {Kind} <Who accessor={ID} name={Name} />
    </>
  )

interface EffectProps {
  readonly effect: Effect
  readonly datacenters: readonly string[]
}

const EffectView = ({ effect: { Datacenter, Tokens, Subjects, Rights }, datacenters }: EffectProps) => (
  <>
    <h3>
      {Tokens} {Tokens === 1 ? 'token' : 'tokens'}
      {Datacenter !== undefined && ` in ${datacenterText(Datacenter, datacenters)}`}
    </h3>
    <p>
      {Subjects.map((subject, at) => (
        <span key={subject.ID}>
          {at > 0 && ', '}
          <SubjectView subject={subject} />
        </span>
      ))}
    </p>
    <Table
      label="Changed rights"
      head={['Resource', 'Namespace', 'Gained', 'Lost']}
      rows={Rights.map(({ Text, Namespace, Gained, Lost }) => [
        <code>{Text}</code>,
        Namespace === '?' ? 'any' : Namespace,
        Gained.join(', '),
        Lost.join(', ')
      ])}
    />
  </>
)

const RecordedView = ({ recorded }: { readonly recorded: Impact['Recorded'] }) => {
  const text = recordedText(recorded)
  const { Changed } = recorded
  if (text === undefined) return null
  return (
    <>
      <p role="status">{text}.</p>
      <Table
        label="Changed answers"
        head={['Answer', 'Question', 'Token', 'Times', 'Last']}
        rows={Changed.map(
          ({ Answer, AccessorID, Datacenter, Resource, Access, Segment, Extent, Count, LastAsked }) => [
            Answer,
            <code>
              {Resource}:{Access} {Segment}
              {Extent !== 'one' && '*'}
            </code>,
            <span>
              <Who accessor={AccessorID} /> {Datacenter}
            </span>,
            String(Count),
            <RelativeTime at={LastAsked} isShort />
          ]
        )}
      />
    </>
  )
}

export const ImpactView = ({ impact: { Effects, Recorded, Datacenters } }: { readonly impact: Impact }) => (
  <section aria-label="Impact">
    {Effects.length === 0 && <p role="status">No token gains or loses a right.</p>}
    {Effects.map((effect, at) => (
      <EffectView key={at} effect={effect} datacenters={Datacenters} />
    ))}
    {Effects.length > 0 && <RecordedView recorded={Recorded} />}
  </section>
)

interface Props {
  readonly target: Target
  readonly body: () => unknown
  /** Changes with each edit, which ends the validity of a shown impact. */
  readonly version: unknown
}

export const ImpactPreview = ({ target, body, version }: Props) => {
  const write = () => ({ query: target.place, body: body() })
  const { result, failure, ask } = useQuestion<Impact>(`${pathOf(target)}/impact`, [version], write)
  return (
    <>
      <Button label="Show impact" act={ask} />
      <Refusal text={failure} />
      {result && <ImpactView impact={result} />}
    </>
  )
}
