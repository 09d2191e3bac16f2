// The workers of the server, which answer reads beside it.
import { Badge } from '../../parts/badge.js'
import { Table } from '../../parts/table.js'
import { Section } from './section.js'
import { countText, sizeText, Time } from './words.js'

type Stats = Readonly<Record<string, Readonly<Record<string, string>>>>

const NAME = /^worker_(\d+)$/

/** Nothing where there are none. */
export const Workers = ({ stats }: { readonly stats: Stats }) => {
  const workers = Object.entries(stats).filter(([name]) => NAME.test(name))
  if (workers.length === 0) return null
  return (
    <Section title="Workers">
      <Table
        label="Workers of the server"
        head={['Number', 'State', 'Process', 'Since', 'Index', 'Commits behind', 'Memory']}
        rows={workers.map(([name, worker]) => [
          NAME.exec(name)?.[1],
          <Badge key="state" tone={worker['state'] === 'listening' ? 'good' : 'warn'}>
            {worker['state']}
          </Badge>,
          worker['pid'],
          worker['since'] && <Time at={worker['since']} />,
          countText(Number(worker['applied_index'])),
          countText(Number(worker['behind_commits'])),
          sizeText(Number(worker['memory_bytes']))
        ])}
        none=""
      />
    </Section>
  )
}
