// The changed lines between two texts, each with the lines around it.
import { applyPatch, createPatch, structuredPatch } from 'diff'
import type { ComponentChildren } from 'preact'
import { Button } from './button.js'

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

interface ConflictProps {
  /** The text before both changes. */
  readonly original: string
  readonly theirs: string
  readonly yours: string
  readonly takeTheirs: () => void
  /** Continues with a text that replaces the other change. */
  readonly keep: (text: string) => void
  readonly children?: ComponentChildren
}

export const Conflict = ({ original, theirs, yours, takeTheirs, keep, children }: ConflictProps) => {
  // Changes of the same lines cannot be merged.
  const both = applyPatch(yours, createPatch('text', original, theirs))
  return (
    <div role="group" aria-label="Conflict" class="confirm">
      <p role="alert" class="refused">
        Someone else changed it while you were editing.
      </p>
      <h3>Their change</h3>
      <TextDiff before={original} after={theirs} titles={['Before', 'Theirs']} />
      <h3>Your change</h3>
      <TextDiff before={original} after={yours} titles={['Before', 'Yours']} />
      {children}
      <p class="choices">
        <Button label="Use their version" act={takeTheirs} />
        <Button label="Keep your version" act={() => keep(yours)} />
        {both !== false && both !== yours && both !== theirs && (
          <Button label="Merge both" act={() => keep(both)} />
        )}
      </p>
    </div>
  )
}
