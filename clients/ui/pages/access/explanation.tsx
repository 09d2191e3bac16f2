// The explanation of a decision about a permission, and the smallest policy that would allow a denied request.
import type { Schemas } from '../../../typescript/typed/index.js'
import { Facts, Field, Heading, Payload, SubmitForm, SubmitButton, Who } from '../../design/index.js'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { accessPage } from '../../resources/access-kinds.js'
import { useQuestion } from '../send.js'

type Link = Omit<Schemas['RuleSource'], 'Links'>

interface Source extends Link {
  readonly Links?: readonly Link[]
}

export type Explained = Schemas['Explanation']

const named = ({ Kind, Name, ID }: Link): string => [Kind, Name ?? ID].filter(Boolean).join(' ')

/** Formats a source: `policy web, by role ops`. */
export const sourceText = (source: Source): string => {
  const ties = (source.Links ?? []).filter(({ Kind }) => Kind !== 'token').map(named)
  return ties.length === 0 ? named(source) : `${named(source)}, by ${ties.join(', ')}`
}

/** Formats a source, with a link to its policy or role. */
export const SourceLink = ({ source }: { readonly source: Source }) =>
  source.ID && ['policy', 'role'].includes(source.Kind) ? (
    <a href={accessPage({ ...source, ID: source.ID })}>{sourceText(source)}</a>
  ) : (
    <>{sourceText(source)}</>
  )

/** Rules of these resources have no name. */
const WITHOUT_NAME = new Set(['acl', 'operator', 'keyring', 'mesh', 'peering'])

type Requested = Pick<Explained, 'Resource' | 'Access' | 'Segment' | 'Namespace' | 'Partition'>

/** Returns the smallest policy that would allow the request. */
export const smallestPolicy = (requested: Requested): string => {
  const { Resource, Access, Segment = '', Namespace, Partition } = requested
  // Rules of services permit intentions.
  const level = Resource === 'intention' ? `"read" intentions = "${Access}"` : `"${Access}"`
  const labelled = Resource === 'intention' ? 'service' : Resource
  const rule = WITHOUT_NAME.has(Resource)
    ? `${Resource} = "${Access}"`
    : `${labelled} ${JSON.stringify(Segment)} { policy = ${level} }`
  const inNamespace = Namespace && Namespace !== 'default' ? `namespace "${Namespace}" {\n  ${rule}\n}` : rule
  return Partition && Partition !== 'default'
    ? `partition "${Partition}" {\n  ${inNamespace.replaceAll('\n', '\n  ')}\n}`
    : inNamespace
}

export const Explanation = ({ explained }: { readonly explained: Explained }) => {
  const { Allowed, Reason, DecidedBy, Rule, Source } = explained
  const rule = Rule && (
    <>
      <code>
        {Rule.Text} {Rule.Level}
      </code>
      {Rule.Line !== undefined && `, line ${Rule.Line}`}
    </>
  )
  return (
    <section aria-label="Explanation">
      <p role="status">
        <b>{Allowed ? 'Allowed' : 'Denied'}</b>: {Reason}
      </p>
      <Facts
        facts={[
          ['Decided by', DecidedBy],
          ['Rule', rule],
          ['Source', Source && <SourceLink source={Source} />]
        ]}
      />
      {!Allowed && (
        <>
          <h2>The smallest policy that would allow it</h2>
          <Payload text={smallestPolicy(explained)} />
          <p>
            <a
              class="button"
              href={`/ui/policies/new?${new URLSearchParams({ rules: smallestPolicy(explained) })}`}
            >
              Create this policy
            </a>
          </p>
        </>
      )}
    </section>
  )
}

export const EXPLAIN = '/v1/acl/explain'

export const ExplainPage = () => {
  const { denial: linked = '' } = useLocation().query
  const [denial, setDenial] = useState(linked)
  const body = { Denial: denial.trim() }
  const { result: explained, failure, ask } = useQuestion<Explained>(EXPLAIN, [denial], () => ({ body }))
  useEffect(() => {
    if (linked !== '') ask()
  }, [])
  return (
    <main class="resource">
      <Heading>Explain a denial</Heading>
      <p class="quiet">
        Paste the error of a denied request to see the rule that decides, and the smallest policy that allows
        it.
      </p>
      <SubmitForm failure={failure} submit={ask} class="fields wide-form">
        <Field
          label="Error text (403)"
          name="Denial"
          rows={4}
          required
          placeholder="Permission denied: token with AccessorID '…' lacks permission 'key:read' on …"
          value={denial}
          change={setDenial}
        />
        <p>
          <SubmitButton label="Explain" />
        </p>
      </SubmitForm>
      {explained && (
        <>
          <p>
            Token: <Who accessor={explained.AccessorID} />
          </p>
          <Explanation explained={explained} />
        </>
      )}
    </main>
  )
}
