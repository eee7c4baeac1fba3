async function r(n,t,e){let i=await n.match(t).invite(e);return i.link!==null?{...i,link:i.link}:(await n.request(`/matches/${t}/invitations/${i.id}`,{method:"DELETE"}),r(n,t,e))}export{r as a};
