// The pages of the kinds that a form edits, declared by what differs.
import type { ComponentChildren, FunctionComponent } from 'preact'
import { announce, Section } from '../../design/index.js'
import { keyOf } from '../../resources/kind.js'
import { useResponse } from '../../session/use-response.js'
import type { ResourceFormProps } from '../access/forms/form.js'
import { pathOf, type Target } from '../send.js'
import type { PanelProps, ResourceView } from './resource-view.js'

export type StoredTarget = Target & { readonly id: string }

export interface FormViewOptions<T> extends Partial<ResourceView> {
  /** The resource of the required permission, such as `operator`; `acl` when absent. */
  readonly resource?: string
  readonly Form: FunctionComponent<ResourceFormProps<T>>
  readonly targetOf: (panel: PanelProps) => StoredTarget
  /** Precedes the form. @param stored undefined until it is read */
  readonly related?: (target: StoredTarget, stored: T | undefined) => ComponentChildren
  readonly isEditable?: (stored: T) => boolean
}

export const formView = <T extends object>(options: FormViewOptions<T>): ResourceView => {
  const { resource = 'acl', Form, targetOf, related, isEditable = () => true, ...view } = options
  return {
    permission: () => ({ resource, segment: '' }),
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
    ...view
  }
}
