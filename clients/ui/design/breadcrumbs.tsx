// The path to a page: <Breadcrumbs links={[['/ui/services', 'Services']]} />. An entry without an address is the page itself.
interface Props {
  readonly links: readonly (readonly [address: string | undefined, title: string])[]
}

export const Breadcrumbs = ({ links }: Props) => (
  <nav aria-label="Path" class="crumbs">
    {links.map(([address, title], at) => (
      <span key={address ?? title}>
        {at > 0 && ' / '}
        {address === undefined ? title : <a href={address}>{title}</a>}
      </span>
    ))}
  </nav>
)
