// A text that somebody else changed during an edit, with the choice between both versions.
import { Button } from './button.js'
import { TextDiff } from './text-diff.js'

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
    <TextDiff before={theirs} after={yours} titles={['Theirs', 'Yours']} />
    <p class="choices">
      <Button label="Use their version" act={takeTheirs} />
      <Button label="Keep your version" act={keepYours} />
    </p>
  </div>
)
