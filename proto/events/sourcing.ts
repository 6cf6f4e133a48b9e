export interface PartCreated {
  type: 'sourcing.part.created'
  data: { partId: string; ipOwnerOrgId: string }
}

export interface PartPublished {
  type: 'sourcing.part.published'
  data: { partId: string; ipOwnerOrgId: string }
}
