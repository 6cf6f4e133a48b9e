export interface PartCreated {
  type: 'sourcing.part.created'
  data: { partId: string; ipOwnerOrgId: string }
}

export interface PartFilesChanged {
  type: 'sourcing.part.filesChanged'
  data: { partId: string; ipOwnerOrgId: string }
}

export interface UploadCreated {
  type: 'sourcing.upload.created'
  data: { uploadId: string; orgId: string }
}

export interface PartPublished {
  type: 'sourcing.part.published'
  data: { partId: string; ipOwnerOrgId: string }
}
