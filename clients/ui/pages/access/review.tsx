// Findings about tokens, roles and policies, each with the command that fixes it.
import type { Schemas } from '../../../typescript/typed/index.js'
import { Button, Heading, Refusal, Table } from '../../design/index.js'
import { useTenancy } from '../../session/tenancy.js'
import { usePages } from '../../session/use-pages.js'
import { accessPage } from '../../resources/kinds.js'

type Finding = Schemas['AclFinding']

export const ReviewPage = () => {
  const { query } = useTenancy()
  const { rows, isLoading, failure, more } = usePages<Finding>('/v1/acl/review', query)
  return (
    <main class="resource">
      <Heading>Review of access control</Heading>
      <Refusal text={failure} />
      {isLoading && <p role="status">Loading …</p>}
      {!isLoading && failure === undefined && (
        <Table
          label="Findings"
          head={['Resource', 'Namespace', 'Finding', 'Fix']}
          none="There are no findings."
          rows={rows.map(finding => [
            <a key="resource" href={accessPage(finding)}>
              {finding.Kind} {finding.Name ?? finding.ID}
            </a>,
            finding.Namespace,
            finding.Message,
            <div key="fix">
              {finding.Fix.map(command => (
                <div key={command}>
                  <code>{command}</code>
                </div>
              ))}
            </div>
          ])}
        />
      )}
      {more && <Button label="Load more" act={more} />}
    </main>
  )
}
