// A discovery chain as a diagram, or two in one with their differences marked.
import { Diagram, type DiagramBox, type DiagramLine, type Mark, Table } from '../../design/index.js'
import { chainPartsOf, nameOf, waysOf, type Chain, type ChainPart, type Way } from './chain.js'

const boxOf = ({ id, type, name, more, href }: ChainPart, mark: Mark | undefined): DiagramBox => ({
  id,
  type: more === '' ? type : `${type} · ${more}`,
  name,
  href,
  mark,
  isMain: type === 'target'
})

const byId = (parts: readonly ChainPart[]): ReadonlyMap<string, ChainPart> =>
  new Map(parts.map(part => [part.id, part]))

/** Returns the parts of both chains; those of only one of them are marked. */
const boxesOf = (chain: Chain, before: Chain): readonly DiagramBox[] => {
  const [old, now] = [byId(chainPartsOf(before)), byId(chainPartsOf(chain))]
  return [
    ...[...now.values()].map(part => {
      const previous = old.get(part.id)
      if (!previous) return boxOf(part, 'added')
      return boxOf(part, previous.more === part.more ? undefined : 'changed')
    }),
    ...[...old.values()].filter(({ id }) => !now.has(id)).map(part => boxOf(part, 'removed'))
  ]
}

const isSame = (one: Way, other: Way): boolean =>
  one.from === other.from && one.to === other.to && one.isFailover === other.isFailover

const isEqual = (one: Way, other: Way): boolean => isSame(one, other) && one.label === other.label

const lineOf = ({ from, to, label, isFailover }: Way, mark?: Mark): DiagramLine => ({
  from,
  to,
  label,
  isDashed: isFailover,
  mark
})

/** Returns the ways of both chains. A way whose label alone differs has both labels. */
const linesOf = (chain: Chain, before: Chain): readonly DiagramLine[] => {
  const [old, now] = [waysOf(before), waysOf(chain)]
  const gone = old.filter(way => !now.some(other => isEqual(way, other)))
  return [
    ...now.map(way => {
      if (old.some(other => isEqual(way, other))) return lineOf(way)
      const at = gone.findIndex(other => isSame(way, other))
      const [previous] = at < 0 ? [] : gone.splice(at, 1)
      if (!previous) return lineOf(way, 'added')
      return lineOf({ ...way, label: `${previous.label || 'all'} → ${way.label || 'all'}` }, 'changed')
    }),
    ...gone.map(way => lineOf(way, 'removed'))
  ]
}

const HEAD = ['From', 'Requests', 'To']

interface Props {
  readonly chain: Chain
  readonly title: string
  /** Marks the differences from this chain. */
  readonly before?: Chain | null | undefined
}

export const ChainPicture = ({ chain, title, before }: Props) => {
  const lines = linesOf(chain, before ?? chain)
  const names = new Map(
    [...chainPartsOf(before ?? chain), ...chainPartsOf(chain)].map(part => [part.id, nameOf(part)])
  )
  return (
    <>
      <Diagram title={title} boxes={boxesOf(chain, before ?? chain)} lines={lines} />
      <details>
        <summary>Show as table</summary>
        <Table
          label={`${title} as a table`}
          head={before ? [...HEAD, 'Difference'] : HEAD}
          rows={lines.map(({ from, to, label, mark }) => [
            names.get(from) ?? from,
            label || 'all',
            names.get(to) ?? to,
            ...(before ? [mark ?? ''] : [])
          ])}
          none="The chain has no targets."
        />
      </details>
    </>
  )
}
