import type { ComponentChildren } from 'preact'
import { ActionForm, Button, Notice, ReasonInput, SubmitButton } from '../../../design/index.js'
import { readJson } from '../../../session/session.js'
import type { TenancyQuery } from '../../../session/tenancy.js'
import { pathOf, sendJson, type Target } from '../../send.js'
import { ImpactPreview } from '../impact.js'
import type { Draft } from '../../../session/draft.js'

export interface ResourceFormProps<T> {
  /** Without an ID, the form creates a resource. */
  readonly target: Target
  /** Undefined for a new resource. */
  readonly stored: T | undefined
  readonly done: (stored: T) => void
}

interface UniqueName {
  readonly list: string
  readonly name: string
}

/** @throws Error if the name is taken */
const requireFree = async ({ list, name }: UniqueName, place: TenancyQuery): Promise<void> => {
  const found = await readJson<readonly { readonly Name: string }[]>(list, { query: place })
  if (found.some(({ Name }) => Name === name))
    throw new Error(`Name ${JSON.stringify(name)} is taken. Open it to change it.`)
}

export interface FormProps<T> extends Omit<ResourceFormProps<T>, 'stored'> {
  readonly label: string
  readonly draft: Pick<Draft<object>, 'isEdited' | 'isStale' | 'discard' | 'value'>
  /** The server would reject the draft. */
  readonly isFaulty?: boolean
  /** Edits can be compared with the stored resource by the rights that they change. */
  readonly hasImpact?: boolean
  /** The list in which the name of a new resource must be free, because the API would replace the other one. */
  readonly unique?: UniqueName
  /** Returns the request body. @throws Error with a message for users */
  readonly body: () => unknown
  readonly children: ComponentChildren
}

export const Form = <T,>(props: FormProps<T>) => {
  const { label, target, draft, isFaulty = false, hasImpact = false, unique, body, done, children } = props
  const isNew = target.id === undefined
  const save = async (reason: string): Promise<void> => {
    if (isNew && unique) await requireFree(unique, target.place)
    const stored = await sendJson<T>('PUT', pathOf(target), { query: target.place, body: body(), reason })
    draft.discard()
    done(stored)
  }
  return (
    <>
      <ActionForm action={save} label={label} class="fields wide-form">
        {children}
        {draft.isStale && (
          <Notice tone="warn">
            Someone else changed it while you were editing. Saving replaces their change.
          </Notice>
        )}
        <p class="choices">
          <ReasonInput />
          <SubmitButton
            label={isNew ? `Create ${label.toLowerCase()}` : 'Save'}
            class="primary"
            disabled={isFaulty || (!isNew && !draft.isEdited)}
          />
          {draft.isEdited && !isNew && <Button label="Discard" act={draft.discard} />}
        </p>
      </ActionForm>
      {hasImpact && !isNew && draft.isEdited && !isFaulty && (
        <ImpactPreview target={target} body={body} version={draft.value} />
      )}
    </>
  )
}
