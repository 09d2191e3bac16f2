// A text that somebody else changed during an edit, with the choice between both versions.
import { SideBySide } from './side-by-side.js'

interface Props {
  readonly theirs: string
  readonly yours: string
  readonly takeTheirs: () => void
  readonly keepYours: () => void
}

export const Conflict = ({ theirs, yours, takeTheirs, keepYours }: Props) => (
  <div role="group" aria-label="Conflict" class="confirm">
    <p role="alert" class="refused">
      Someone else changed it while you were editing.
    </p>
    <SideBySide before={{ title: 'Theirs', text: theirs }} after={{ title: 'Yours', text: yours }} />
    <p class="choices">
      <button type="button" onClick={takeTheirs}>
        Use their version
      </button>
      <button type="button" onClick={keepYours}>
        Keep your version
      </button>
    </p>
  </div>
)
