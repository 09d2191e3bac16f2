import { useMemo } from 'preact/hooks'
import { Matrix, type MatrixMark } from '../../design/index.js'
import {
  deciderOf,
  destinationOf,
  formatIntention,
  shortNameOf,
  sourceOf,
  verdictOf,
  type Intention
} from './intention.js'

const MARKS = { allow: ['✓', 'good'], deny: ['✕', 'bad'], 'by request': ['◐', 'warn'] } as const

const namesOf = (
  intentions: readonly Intention[],
  nameOf: (intention: Intention) => string,
  search: string
): readonly string[] => {
  const names = [...new Set(intentions.map(each => shortNameOf(nameOf(each))))].toSorted()
  const found = names.filter(name => name.toLowerCase().includes(search.trim().toLowerCase()))
  return found.length === 0 ? names : found
}

interface Props {
  readonly intentions: readonly Intention[]
  readonly search: string
  readonly open: (source: string, destination: string) => void
}

/** Who may connect to whom, by the intention that decides. A search narrows sources and destinations that it finds. */
export const IntentionMatrix = ({ intentions, search, open }: Props) => {
  const decide = useMemo(() => deciderOf(intentions), [intentions])
  const [rows, columns] = useMemo(
    () => [namesOf(intentions, sourceOf, search), namesOf(intentions, destinationOf, search)],
    [intentions, search]
  )
  const markOf = (source: string, destination: string): MatrixMark => {
    const intention = decide(source, destination)
    const verdict = verdictOf(intention)
    if (!intention || !verdict) return { sign: '·', tone: '', text: 'default policy' }
    const [sign, tone] = MARKS[verdict]
    const by = `${shortNameOf(sourceOf(intention))} to ${shortNameOf(destinationOf(intention))}`
    return { sign, tone, text: `${formatIntention(intention)}, by ${by}` }
  }
  return (
    <>
      <p class="quiet">✓ allow ✕ deny ◐ by request · default policy</p>
      <Matrix label="Intentions by pair" rows={rows} columns={columns} markOf={markOf} open={open} />
    </>
  )
}
