// Says whose keys are shown where no namespace was chosen, and leads to the others.
import { ALL, useTenancy } from '../../../session/tenancy.js'
import { useAnswer } from '../../../session/use-answer.js'
import { folderAddress, type Space } from '../entry.js'

/** Namespaces that are named; the choice of the frame has them all. */
const MOST = 20

export const Namespaces = ({ space }: { readonly space: Space }) => {
  const { ns } = useTenancy()
  const query = { partition: space.partition, limit: MOST }
  const { value } = useAnswer<readonly { readonly Name: string }[]>(
    ns === ALL ? '/v1/namespaces' : undefined,
    query
  )
  const others = (value ?? []).filter(({ Name }) => Name !== space.ns)
  if (ns !== ALL || others.length === 0) return null
  return (
    <p role="status">
      These are the keys of the namespace {space.ns}. Others:{' '}
      {others.map(({ Name }, at) => (
        <span key={Name}>
          {at > 0 && ', '}
          <a href={folderAddress({ ...space, ns: Name }, '')}>{Name}</a>
        </span>
      ))}
    </p>
  )
}
