// <Tabs label="Of the token" tabs={[{ id: 'rights', title: 'Rights', content: () => <Rights … /> }, …]} />
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { connect, machine } from '@zag-js/tabs'
import { normalizeProps, useMachine } from '@zag-js/preact'

interface Tab {
  readonly id: string
  readonly title: string
  readonly content: () => ComponentChildren
}

interface Props {
  readonly label: string
  readonly tabs: readonly [Tab, ...Tab[]]
  /** The selected tab, if the page controls it. */
  readonly chosen?: string
  readonly choose?: (id: string) => void
}

export const Tabs = ({ label, tabs, chosen, choose }: Props) => {
  const service = useMachine(machine, {
    id: useId(),
    defaultValue: tabs[0].id,
    value: chosen,
    onValueChange: ({ value }) => choose?.(value)
  })
  const api = connect(service, normalizeProps)
  return (
    <div class="tabs" {...api.getRootProps()}>
      <div {...api.getListProps()} aria-label={label}>
        {tabs.map(({ id, title }) => (
          <button key={id} {...api.getTriggerProps({ value: id })}>
            {title}
          </button>
        ))}
      </div>
      {tabs.map(({ id, content }) => (
        <div key={id} {...api.getContentProps({ value: id })}>
          {api.value === id && content()}
        </div>
      ))}
    </div>
  )
}
