// The pages of the kinds that a form edits, declared by what differs.
import type { ComponentChildren, FunctionComponent } from 'preact'
import { announce, ConfirmButton, Section } from '../../design/index.js'
import { type Fields, keyOf, textOf } from '../../resources/kind.js'
import type { Place, TenancyQuery } from '../../session/tenancy.js'
import { useResponse } from '../../session/use-response.js'
import type { ResourceFormProps } from '../access/forms/form.js'
import { pathOf, send, type Target } from '../send.js'
import type { PanelProps, ResourceView } from './resource-view.js'

export type StoredTarget = Target & { readonly id: string }

interface FormViewOptions<T> extends Partial<ResourceView> {
  /** The singular, such as `binding rule`. */
  readonly what: string
  /** Such as `/v1/acl/binding-rule`. */
  readonly path?: string
  readonly placeOf?: (place: Place) => TenancyQuery
  readonly Form: FunctionComponent<ResourceFormProps<T>>
  /** Precedes the form. @param stored undefined until it is read */
  readonly related?: (target: StoredTarget, stored: T | undefined) => ComponentChildren
  readonly isEditable?: (stored: T) => boolean
  /** What the deletion changes beside the resource. */
  readonly consequence: string
  /** The resource has contents, which are deleted too, so the user must type its name. */
  readonly hasContents?: boolean
  readonly isKept?: (fields: Fields) => boolean
}

export const formView = <T extends object>(options: FormViewOptions<T>): ResourceView => {
  const {
    what,
    path = `/v1/acl/${what.replace(' ', '-')}`,
    placeOf = place => place,
    Form,
    ...rest
  } = options
  const { related, isEditable = () => true, consequence, hasContents = false, isKept, ...view } = rest
  const { Actions, ...declared } = view
  const targetOf = ({ id, place }: PanelProps): StoredTarget => ({ path, id, place: placeOf(place) })
  const Delete = (panel: PanelProps) => {
    const { Name, Description } = panel.fields
    const name = textOf(Name) || textOf(Description) || panel.id
    const target = targetOf(panel)
    return (
      <ConfirmButton
        label={`Delete ${what}`}
        title={`Delete ${what} ${name}${hasContents ? ' and everything in it' : ''}?`}
        {...(hasContents ? { typed: name } : {})}
        action={reason => send('DELETE', pathOf(target), { query: target.place, reason })}
      >
        {consequence}
      </ConfirmButton>
    )
  }
  return {
    permission: () => ({ resource: 'acl', segment: '' }),
    New: ({ target, done }) => (
      <Form target={target} stored={undefined} done={created => done(keyOf(created))} />
    ),
    Summary: panel => {
      const target = targetOf(panel)
      const { value: stored, failure } = useResponse<T>(pathOf(target), target.place, panel.newest.Index)
      return (
        <>
          {related?.(target, stored)}
          {(!stored || isEditable(stored)) && (
            <Section title="Edit" failure={failure}>
              {stored && <Form target={target} stored={stored} done={() => announce('Saved.')} />}
            </Section>
          )}
        </>
      )
    },
    Actions: panel => (
      <>
        {Actions && <Actions {...panel} />}
        {!isKept?.(panel.fields) && <Delete {...panel} />}
      </>
    ),
    ...declared
  }
}
