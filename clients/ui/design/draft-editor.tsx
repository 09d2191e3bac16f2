// An editor of a draft, which never overwrites concurrent changes: <DraftEditor draft={draft} stored={stored} save={async reason => …}>…</DraftEditor>
import { applyPatch, createPatch } from 'diff'
import type { ComponentChildren } from 'preact'
import { Button } from './button.js'
import { ActionForm, ReasonInput, SubmitButton } from './submit-form.js'
import { TextDiff } from './text-diff.js'
import type { Draft } from '../session/draft.js'

interface Text {
  readonly text: string
}

interface ConflictProps {
  readonly draft: Draft<Text>
  /** The stored value. */
  readonly stored: Text
  /** The original and the stored text in the format of the draft, if it can have others. */
  readonly texts?: readonly [original: string, theirs: string]
  /** Differences of a conflict beside those of the texts. */
  readonly differences?: ComponentChildren
}

const Conflict = ({ draft, stored, texts, differences }: ConflictProps) => {
  const [original, theirs] = texts ?? [draft.original.text, stored.text]
  const yours = draft.value.text
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
      {differences}
      <p class="choices">
        <Button label="Use their version" act={draft.discard} />
        <Button label="Keep your version" act={() => draft.keep()} />
        {both !== false && both !== yours && both !== theirs && (
          <Button label="Merge both" act={() => draft.keep({ text: both })} />
        )}
      </p>
    </div>
  )
}

interface Props extends ConflictProps {
  /** Discards the draft once it is stored. */
  readonly save: (reason: string) => Promise<unknown>
  /** The value can be stored as it is. */
  readonly isNew?: boolean
  /** Further buttons. */
  readonly actions?: ComponentChildren
  /** The editor of the text. */
  readonly children: ComponentChildren
}

export const DraftEditor = (props: Props) => {
  const { save, isNew = false, actions, children, ...conflict } = props
  const { draft, stored } = conflict
  const isChanged = JSON.stringify(draft.value) !== JSON.stringify(stored)
  const isOutdated = draft.isStale && isChanged
  return (
    <ActionForm action={save}>
      {children}
      {isOutdated && <Conflict {...conflict} />}
      <p class="choices">
        {actions}
        <ReasonInput />
        <SubmitButton label="Save" class="primary" disabled={isOutdated || !(isNew || isChanged)} />
        {draft.isEdited && !isOutdated && <Button label="Discard" act={draft.discard} />}
      </p>
    </ActionForm>
  )
}
