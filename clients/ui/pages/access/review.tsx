// Findings about tokens, roles and policies, each with the command that fixes it.
import type { Schemas } from '../../../typescript/typed/index.js'
import { Button, Heading, Refusal, Section, Table } from '../../design/index.js'
import { useTenancy } from '../../session/tenancy.js'
import { usePages } from '../../session/use-pages.js'
import { accessPage } from '../../resources/access-kinds.js'

type Finding = Schemas['AclFinding']

/** Groups findings by their messages; the largest group is last. */
const byMessage = (findings: readonly Finding[]): readonly (readonly [string, readonly Finding[]])[] =>
  [...Map.groupBy(findings, ({ Message }) => Message)].toSorted(
    ([, one], [, other]) => one.length - other.length
  )

export const ReviewPage = () => {
  const { query } = useTenancy()
  const { rows, isLoading, failure, warning, more } = usePages<Finding>('/v1/acl/review', query)
  return (
    <main class="resource">
      <Heading>Review of access control</Heading>
      <p class="quiet">
        Tokens, roles and policies that are unused, too powerful or never expire, with commands.
      </p>
      <Refusal text={failure} />
      {warning !== undefined && <p class="quiet">Not everything was checked: {warning}.</p>}
      {isLoading && <p role="status">Loading …</p>}
      {!isLoading && failure === undefined && rows.length === 0 && (
        <p role="status">There are no findings.</p>
      )}
      {byMessage(rows).map(([message, findings]) => (
        <Section key={message} title={`${message} (${findings.length})`}>
          <Table
            label={message}
            head={['Resource', 'Namespace', 'Fix']}
            rows={findings.map(finding => [
              <a href={accessPage(finding)}>
                {finding.Kind} {finding.Name ?? finding.ID}
              </a>,
              finding.Namespace,
              <div>
                {finding.Fix.map(command => (
                  <div key={command}>
                    <code>{command}</code>
                  </div>
                ))}
              </div>
            ])}
          />
        </Section>
      ))}
      {more && <Button label="Load more" act={more} />}
    </main>
  )
}
