// What is written of a namespace or partition alike.
import type { ComponentChildren } from 'preact'
import type { TenancyQuery } from '../../../session/tenancy.js'
import type { Draft } from '../../../session/use-draft.js'
import { Form, TextField } from '../../access/forms/form.js'

interface Fields {
  readonly Name: string
  readonly Description: string
}

interface Props {
  readonly label: string
  readonly place: TenancyQuery
  readonly draft: Pick<Draft<Fields>, 'value' | 'isEdited' | 'isStale' | 'discard'> & {
    readonly change: (part: Partial<Fields>) => void
  }
  readonly isNew: boolean
  readonly send: (reason: string) => Promise<void>
  readonly children?: ComponentChildren
}

export const TenancyForm = ({ draft, isNew, children, ...rest }: Props) => {
  const { value, change } = draft
  return (
    <Form
      {...rest}
      draft={draft}
      isNew={isNew}
      resource="operator"
      without="it may write only where its rules name the place itself."
    >
      {() => (
        <>
          {isNew && (
            <TextField
              label="Name"
              required
              hint="Up to 63 lower-case letters, digits and hyphens; it stays."
              value={value.Name}
              change={text => change({ Name: text })}
            />
          )}
          <TextField
            label="Description"
            value={value.Description}
            change={text => change({ Description: text })}
          />
          {children}
        </>
      )}
    </Form>
  )
}
