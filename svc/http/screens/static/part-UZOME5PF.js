var r=e=>e.normalize("NFKD").toLowerCase().replace(/[\u0300-\u036f]/g,"").replace(/[^a-z0-9]+/g,"_").replace(/^[_0-9]+|_+$/g,"");export{r as a};
