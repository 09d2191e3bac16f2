// Findings about tokens, roles and policies, each with the command that fixes it.
import type { Schemas } from '../../../typescript/typed/index.js'
import { Button, Heading, Refusal, Section, Table } from '../../design/index.js'
import { useTenancy } from '../../session/tenancy.js'
import { usePages } from '../../session/use-pages.js'
import { accessPage } from '../../resources/access-kinds.js'

type Finding = Schemas['AclFinding']

/** Titles of the lists of findings by check. */
const TITLES: Readonly<Record<string, string>> = {
  'unused-token': 'Unused tokens',
  'token-without-expiration': 'Tokens that never expire',
  'old-secret': 'Old secrets',
  'needless-management': 'Management tokens without use of their permissions',
  'role-without-token': 'Roles without tokens',
  'policy-without-link': 'Policies without links',
  'wide-rule': 'Rules that are wider than their use'
}

/** Names a check by its title. */
const titled = (word: string): string => TITLES[word]?.toLowerCase() ?? word

export const ReviewPage = () => {
  const { query } = useTenancy()
  const { rows, isLoading, failure, warning, more } = usePages<Finding>('/v1/acl/review', query)
  const byCheck = Map.groupBy(rows, ({ Check }) => Check)
  // A long list does not hide the others.
  const sorted = [...byCheck].toSorted(([, one], [, other]) => one.length - other.length)
  return (
    <main class="resource">
      <Heading>Review of access control</Heading>
      <p class="quiet">
        Tokens, roles and policies that are unused, too powerful or never expire, with commands.
      </p>
      <Refusal text={failure} />
      {warning && <p class="quiet">Not everything was checked: {warning.replaceAll(/[\w-]+/g, titled)}.</p>}
      {isLoading && <p role="status">Loading …</p>}
      {!isLoading && failure === undefined && rows.length === 0 && (
        <p role="status">There are no findings.</p>
      )}
      {sorted.map(([check, findings]) => (
        <Section key={check} title={`${TITLES[check] ?? check} (${findings.length})`}>
          <Table
            label={TITLES[check] ?? check}
            head={['Resource', 'Namespace', 'Finding', 'Fix']}
            rows={findings.map(finding => [
              <a href={accessPage(finding)}>
                {finding.Kind} {finding.Name ?? finding.ID}
              </a>,
              finding.Namespace,
              new Set(findings.map(({ Message }) => Message)).size > 1 && finding.Message,
              <pre>{finding.Fix.join('\n')}</pre>
            ])}
          />
        </Section>
      ))}
      {more && <Button label="Load more" act={more} />}
    </main>
  )
}
