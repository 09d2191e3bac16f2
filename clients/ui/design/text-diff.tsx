// The changed lines between two texts, each with the lines around it.
import { structuredPatch } from 'diff'

interface Props {
  readonly before: string
  readonly after: string
  /** Names both texts. */
  readonly titles?: readonly [before: string, after: string]
}

const CONTEXT = 2
const MARKS: Readonly<Record<string, 'ins' | 'del'>> = { '+': 'ins', '-': 'del' }

export const TextDiff = ({ before, after, titles }: Props) => {
  const { hunks } = structuredPatch('', '', before, after, '', '', { context: CONTEXT })
  const lines = hunks.flatMap(hunk => hunk.lines).filter(line => !line.startsWith('\\'))
  if (lines.length === 0) return <p class="quiet">No differences.</p>
  return (
    <figure>
      {titles && (
        <figcaption>
          <del>− {titles[0]}</del> <ins>+ {titles[1]}</ins>
        </figcaption>
      )}
      <pre class="payload diff">
        {lines.map((line, at) => {
          const Mark = MARKS[line.charAt(0)] ?? 'span'
          return <Mark key={at}>{`${line.charAt(0)} ${line.slice(1)}\n`}</Mark>
        })}
      </pre>
    </figure>
  )
}
