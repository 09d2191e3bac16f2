import { options, type VNode } from 'preact'
import { withAsOf } from './as-of-state.js'

const isPage = (href: unknown): href is string => typeof href === 'string' && href.startsWith('/ui/')

const hasAddress = (props: unknown): props is { href: unknown } =>
  typeof props === 'object' && props !== null && 'href' in props

/** Must be called once, before the first rendering. */
export const keepAsOf = (): void => {
  const before = options.vnode?.bind(options)
  options.vnode = (vnode: VNode) => {
    const { type, props } = vnode
    if (type === 'a' && hasAddress(props) && isPage(props.href)) props.href = withAsOf(props.href)
    before?.(vnode)
  }
}
