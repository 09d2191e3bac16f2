// A key that somebody else changed while it was edited: what it was, what they made of it, and what one has written.
import { applyPatch, createPatch } from 'diff'
import { SideBySide } from '../../../parts/side-by-side.js'
import { readable, type Content, type Draft } from './draft.js'

interface Props {
  /** What was edited. */
  readonly was: Content
  readonly theirs: Content
  readonly yours: Draft
  readonly takeTheirs: () => void
  /** Goes on with a text, to be saved over theirs. */
  readonly keep: (text: string) => void
}

export const Conflict = ({ was, theirs, yours, takeTheirs, keep }: Props) => {
  const { type, text } = yours
  const before = readable(was, type)
  const now = readable(theirs, type)
  // Where both changed the same lines, only a person can tell what is meant.
  const both = applyPatch(text, createPatch('value', before, now))
  const flags = [was.flags, theirs.flags, yours.flags]
  return (
    <div role="group" aria-label="Conflict" class="confirm">
      <p role="alert" class="refused">
        Somebody has changed it meanwhile.
      </p>
      <h3>What they changed</h3>
      <SideBySide before={{ title: 'It was', text: before }} after={{ title: 'Theirs', text: now }} />
      <h3>What you changed</h3>
      <SideBySide before={{ title: 'It was', text: before }} after={{ title: 'Yours', text }} />
      {new Set(flags).size > 1 && (
        <p>
          Flags: they were {was.flags}, theirs are {theirs.flags}, yours are {yours.flags}.
        </p>
      )}
      <p class="choices">
        <button type="button" onClick={takeTheirs}>
          Take theirs
        </button>
        <button type="button" onClick={() => keep(text)}>
          Keep yours
        </button>
        {both !== false && both !== text && both !== now && (
          <button type="button" onClick={() => keep(both)}>
            Put both together
          </button>
        )}
      </p>
    </div>
  )
}
