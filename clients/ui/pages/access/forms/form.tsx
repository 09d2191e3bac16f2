import type { ComponentChildren } from 'preact'
import {
  ActionForm,
  Button,
  ConfirmButton,
  Notice,
  ReasonInput,
  SubmitButton
} from '../../../design/index.js'
import { asOfIndex } from '../../../time-travel/as-of-state.js'
import { READ_ONLY } from '../../../time-travel/read-only.js'
import { useRoute, usePermission } from '../../../session/use-response.js'
import { readJson } from '../../../session/session.js'
import type { TenancyQuery } from '../../../session/tenancy.js'
import { pathOf, send, sendJson, type Target } from '../../send.js'
import { ImpactPreview } from '../impact.js'
import type { Schemas } from '../../../../typescript/typed/index.js'
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
  /** The resource of the required permission, such as `operator`; `acl` when absent. */
  readonly resource?: string
  /** The warning about a missing permission. The form stays enabled, because other rules may grant it. */
  readonly without?: string
  /** Edits can be compared with the stored resource by the rights that they change. */
  readonly hasImpact?: boolean
  /** The list in which the name of a new resource must be free, because the API would replace the other one. */
  readonly unique?: UniqueName
  /** Returns the request body. @throws Error with a message for users */
  readonly body: () => unknown
  /** @param mayWrite false for tokens that may only read */
  readonly children: ComponentChildren | ((mayWrite: boolean) => ComponentChildren)
}

export const Form = <T,>(props: FormProps<T>) => {
  const {
    label,
    target,
    draft,
    isFaulty = false,
    resource = 'acl',
    without,
    hasImpact = false,
    unique,
    body,
    done,
    children
  } = props
  const isNew = target.id === undefined
  const isPast = asOfIndex.value !== undefined
  const hasRight = usePermission('write', resource, target.place) !== false
  const mayWrite = (hasRight || without !== undefined) && !isPast
  const save = async (reason: string): Promise<void> => {
    if (isNew && unique) await requireFree(unique, target.place)
    const stored = await sendJson<T>('PUT', pathOf(target), { query: target.place, body: body(), reason })
    draft.discard()
    done(stored)
  }
  return (
    <div class="acl-form">
      {isPast && <Notice>{READ_ONLY}</Notice>}
      {!hasRight && (
        <Notice>
          This token lacks {resource}:write: {without ?? 'you can read, but not change this.'}
        </Notice>
      )}
      <ActionForm action={save} label={label}>
        <fieldset disabled={!mayWrite}>
          {typeof children === 'function' ? children(mayWrite) : children}
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
        </fieldset>
      </ActionForm>
      {hasImpact && !isNew && draft.isEdited && !isFaulty && (
        <ImpactPreview target={target} body={body} version={draft.value} />
      )}
    </div>
  )
}

interface DeleteButtonProps {
  readonly target: Target
  /** Such as `policy`. */
  readonly what: string
  readonly name: string
  readonly consequence: string
  readonly back: string
}

export const DeleteButton = ({ target, what, name, consequence, back }: DeleteButtonProps) => {
  const route = useRoute()
  const mayWrite = usePermission('write', 'acl', target.place) !== false
  return (
    <ConfirmButton
      label={`Delete ${what}`}
      title={`Delete ${what} ${name}?`}
      disabled={!mayWrite}
      action={reason => send('DELETE', pathOf(target), { query: target.place, reason })}
      done={() => route(back)}
    >
      {consequence}
    </ConfirmButton>
  )
}

export type Policy = Schemas['Policy']

export type Role = Schemas['Role']

export type Token = Omit<Schemas['Token'], 'SecretID'>

export type CreatedToken = Schemas['Token']

export type BindingRule = Schemas['BindingRule']
